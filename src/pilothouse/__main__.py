"""`python -m pilothouse` is the `pilothouse` command."""

from __future__ import annotations

import sys

from pilothouse.cli import main

sys.exit(main())
