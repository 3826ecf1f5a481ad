"""What several demos use."""

import logging

# At its import transformers warns that pictures are prepared without torchvision. We prepare ours ourselves.
logging.getLogger("transformers.utils.import_utils").setLevel(logging.ERROR)
