# The gallery on CPU. For a machine with an NVIDIA GPU, run it with --gpus all: PyTorch's usual build brings what it needs.
# With --build-arg PIP_EXTRA_INDEX_URL=... PyTorch's own index gives the much smaller CPU build.
FROM python:3.11-slim

ARG PIP_EXTRA_INDEX_URL=""
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    GRADIO_ANALYTICS_ENABLED=False

RUN useradd --create-home --uid 1000 gallery
WORKDIR /home/gallery/app

# The requirements first, so that a change of code alone does not install them again.
COPY requirements.txt ./
RUN pip install -r requirements.txt

COPY --chown=gallery:gallery . ./
USER gallery
ENV HOME=/home/gallery \
    NUMBA_CACHE_DIR=/home/gallery/.cache/numba

EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/gradio_api/app_id', timeout=4)"]

# Without a shell in between, so that the container's stop signal reaches the server.
ENTRYPOINT ["python", "app.py", "--host", "0.0.0.0"]
CMD ["--seats", "30"]
