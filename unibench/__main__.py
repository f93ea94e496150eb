"""``python -m unibench``."""

from unibench.cli import main

if __name__ == "__main__":
    main()
