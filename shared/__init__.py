"""What several demos use. To be imported before the libraries that are told something here."""

import logging
import os

# Nothing is told to anyone. ONNX Runtime's Linux and macOS wheels ask their collector from the import on otherwise.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# At its import transformers warns that pictures are prepared without torchvision. We prepare ours ourselves.
logging.getLogger("transformers.utils.import_utils").setLevel(logging.ERROR)
