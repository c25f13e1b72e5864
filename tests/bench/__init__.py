"""Tests of the benchmarks' own arithmetic; none of them measures anything."""
