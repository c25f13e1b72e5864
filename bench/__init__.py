"""The benchmark that keeps the wire honest: us against a C floor and against our peers."""
