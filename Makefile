.DEFAULT_GOAL := help
.PHONY: help setup

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup:  ## Make .venv with all that development needs
	@scripts/setup
