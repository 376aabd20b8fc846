"""``python -m pyrograph`` is ``pyrograph``."""

from pyrograph.cli import main

if __name__ == "__main__":
    main()
