//! The contract suite: what every backend of the store has to do, written against the traits alone.
//!
//! A backend joins by implementing [`Backend`] and naming itself to [`contract_suite!`]; nothing in
//! this folder changes for it.

pub mod batches;
pub mod changes;
pub mod documents;
pub mod embeddings;
pub mod model;
pub mod property;
pub mod roots;
pub mod sample;

use bethink_store::{IndexReader, IndexWriter};

/// A place for one index, empty at first.
pub trait Backend: Sized {
    /// Its writing handle.
    type Writer: IndexWriter;
    /// Its reading handle.
    type Reader: IndexReader;

    /// A new place, shared with nobody.
    fn create() -> Self;
    /// A new writing handle on it; makes the index where there is none.
    fn writer(&self) -> Self::Writer;
    /// A new reading handle on it; the index is there.
    fn reader(&self) -> Self::Reader;
}

/// Makes one test of every law for a backend.
macro_rules! contract_suite {
    ($backend:ty) => {
        $crate::contract::contract_suite! { $backend:
            batches { a_batch_is_applied_whole_or_not_at_all, a_copy_shares_its_content,
                a_failure_keeps_or_drops_earlier_text, a_move_keeps_identity_content_and_vectors,
                a_move_onto_a_document_replaces_it, a_moved_document_may_be_published_and_removed,
                a_new_version_of_the_cutter_makes_a_new_content, a_path_published_twice_says_what_came_last,
                a_removal_takes_text_and_vectors_along, a_ring_of_moves_changes_places,
                an_edit_keeps_the_identity, an_empty_text_is_a_text, nobody_minds_documents_that_are_gone,
                passages_come_back_whole, passages_that_do_not_tile_are_refused, publishing_again_changes_nothing,
                two_files_change_places, what_cannot_be_stored_is_refused, what_is_gone_is_named,
                known_bytes_need_no_text }
            changes { a_cache_that_follows_the_changes_is_right, a_log_is_pruned_and_says_so,
                identities_are_never_reused, the_log_names_each_entity_once_a_batch }
            documents { a_folder_does_not_hold_its_namesake, a_scope_of_everything, contents_of_a_scope,
                members_are_listed_by_themselves,
                paths_are_kept_byte_for_byte, paging_sees_every_document_once, statistics_add_up,
                stamps_are_kept_to_the_last_bit, trouble_is_listed_by_path, unknown_things_are_not_found }
            embeddings { a_claim_takes_the_newest_files_first, a_forgotten_model_is_forgotten,
                a_later_claim_supersedes, what_is_hastened_is_claimed_first, a_model_keeps_its_dimension, a_released_claim_is_free_again,
                a_vector_that_cannot_be_leaves_the_queue, an_edit_embeds_only_what_is_new,
                an_edit_under_a_claim_publishes_nothing, equal_passages_are_embedded_once,
                every_passage_has_a_vector_or_waits, leases_run_out, models_do_not_mix,
                registering_late_queues_everything, sequences_only_grow, vectors_come_back_in_half_precision,
                a_lease_from_a_wrong_clock_runs_out }
            property { random_batches_match_the_model }
            roots { a_forgotten_root_takes_its_documents, a_root_is_added_once, the_identity_stays,
                the_state_of_a_root_is_kept, what_has_no_file_has_a_root_that_nobody_walks }
        }
    };
    ($backend:ty: $($group:ident { $($law:ident),* $(,)? })*) => {
        $(mod $group {
            use super::*;
            $(#[test]
            fn $law() {
                $crate::contract::$group::$law::<$backend>();
            })*
        })*
    };
}
pub(crate) use contract_suite;
