"""Tram."""

class Tram:
    def climb(self, hill):
        return hill + 1
