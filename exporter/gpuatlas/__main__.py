"""`python -m gpuatlas` is `gpuatlas`."""

from gpuatlas.cli.main import main

if __name__ == "__main__":
    main()
