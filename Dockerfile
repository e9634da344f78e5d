# syntax=docker/dockerfile:1
# One process of the app. Once built it needs no network, no root and no writable disk but /tmp.
#
#   docker build --build-arg TORCH_INDEX=… -t gradient-tricks-lab .
#   docker run --rm -p 8501:8501 --read-only --tmpfs /tmp gradient-tricks-lab

FROM python:3.13-slim AS packages

# On x86-64 pip would take torch with CUDA, some gigabytes: the index of the CPU builds is named on
# PyTorch's install page. On arm64 the usual index has CPU builds, and this stays empty.
ARG TORCH_INDEX=""
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY requirements.txt constraints.txt ./
RUN if [ "$(uname -m)" = x86_64 ] && [ -z "$TORCH_INDEX" ]; then \
        echo "Build with --build-arg TORCH_INDEX=…, the index of PyTorch's CPU builds" >&2; exit 1; \
    fi
RUN python -m venv --without-pip /opt/app && \
    PIP_EXTRA_INDEX_URL="$TORCH_INDEX" pip --python /opt/app install --no-input -r requirements.txt
# Only compilers and the packages' own tests need these: 0.28 of 1.42 GB with torch 2.13 for the CPU.
RUN find /opt/app -type d \( -name include -o -name tests -o -path "*/torch/test" \) \
        -prune -exec rm -rf {} + && \
    find /opt/app -path "*/torch/bin/*" ! -name torch_shm_manager -delete

FROM python:3.13-slim

RUN useradd --system --uid 10001 --no-create-home app
COPY --from=packages /opt/app /opt/app
WORKDIR /app
COPY . .
RUN /opt/app/bin/python -m compileall -q lessons pages app.py

USER 10001
ENV PATH=/opt/app/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    OMP_NUM_THREADS=1 \
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0
# Another port comes as STREAMLIT_SERVER_PORT or PORT.
EXPOSE 8501
# On SIGTERM it closes its sockets, and ends within ten seconds.
STOPSIGNAL SIGTERM
# Not by urllib, which would ask a proxy that the environment names.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; \
        port = os.environ.get('STREAMLIT_SERVER_PORT') or os.environ.get('PORT') or '8501'; \
        server = http.client.HTTPConnection('localhost', port, timeout=2); \
        server.request('GET', '/readyz'); \
        sys.exit(server.getresponse().status != 200)"]
CMD ["python", "-m", "pages.server"]
