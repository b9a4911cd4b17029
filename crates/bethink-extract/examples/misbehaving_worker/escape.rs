//! What a parser that was taken over would try. Each attempt panics if it succeeds, and so costs the
//! file, which the tests see.

use std::ffi::c_int;
use std::fs;
use std::net::{TcpStream, UdpSocket};

/// A file that every Unix lets everybody read.
const READABLE: &str = "/etc/passwd";

/// Tries one way out.
pub fn attempt(order: &str) {
    match order {
        "read" => assert!(fs::read(READABLE).is_err(), "a file could be read"),
        "list" => assert!(fs::read_dir("/").is_err(), "a folder could be listed"),
        "write" => {
            let path = std::env::temp_dir().join("bethink-extract-worker-wrote-this");
            assert!(fs::write(path, b"x").is_err(), "a file could be written");
        }
        "remove" => {
            let path = std::env::temp_dir().join("bethink-extract-worker-removed-this");
            assert!(fs::remove_file(path).is_err(), "a file could be removed");
        }
        "connect" => {
            assert!(TcpStream::connect(("127.0.0.1", 1)).is_err(), "a connection could be made");
            assert!(UdpSocket::bind(("127.0.0.1", 0)).is_err(), "a socket could be bound");
        }
        "socket" => {
            for family in [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX] {
                // SAFETY: takes numbers only.
                refused("a socket", unsafe { libc::socket(family, libc::SOCK_STREAM, 0) });
            }
        }
        "reopen" => {
            // Room for a descriptor does not help where opening is refused itself.
            // SAFETY: nothing prints from here on, and nothing else owns the number.
            unsafe { libc::close(libc::STDERR_FILENO) };
            // SAFETY: the path ends in a zero byte.
            refused("a file", unsafe { libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY) });
            // SAFETY: takes numbers only.
            refused("a socket", unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) });
        }
        // SAFETY: a child, if there is one, does nothing but fail the assertion, as its parent does.
        "fork" => refused("a process", unsafe { libc::fork() }),
        "exec" => {
            let program = c"/bin/true";
            // SAFETY: the list of arguments ends in a null pointer and its strings in zero bytes.
            refused("a program", unsafe {
                libc::execv(program.as_ptr(), [program.as_ptr(), std::ptr::null()].as_ptr())
            });
        }
        // SAFETY: signal 0 is sent to nobody; the call only tells whether it could be.
        "signal" => refused("a signal", unsafe { libc::kill(libc::getppid(), 0) }),
        #[cfg(target_os = "linux")]
        "trace" => {
            let nothing = std::ptr::null_mut::<libc::c_void>();
            // SAFETY: asks to be traced by the parent, which has no arguments.
            let traced = unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, nothing, nothing) };
            assert!(traced < 0, "a process could be traced");
        }
        "code" => {
            let wanted = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANON;
            // SAFETY: asks for new memory, wherever the system likes.
            let memory = unsafe { libc::mmap(std::ptr::null_mut(), 4096, wanted, kind, -1, 0) };
            assert!(memory == libc::MAP_FAILED, "memory for code could be had");
        }
        "descriptors" => {
            // Its own three and the duplicate of the pipe that answers go through.
            // SAFETY: asks about numbers, whether anything is open under them or not.
            let is_open = |number: &c_int| unsafe { libc::fcntl(*number, libc::F_GETFD) } >= 0;
            let open = (0..1024).filter(is_open).count();
            assert_eq!(open, 4, "{open} descriptors are open");
            assert!(std::env::vars_os().next().is_none());
            assert_eq!(std::env::current_dir().ok().as_deref(), Some(std::path::Path::new("/")));
        }
        other => panic!("there is no order {other:?}"),
    }
}

fn refused(what: &str, answer: c_int) {
    assert!(answer < 0, "{what} could be had");
}
