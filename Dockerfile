# syntax=docker/dockerfile:1
# docker build -t pyrograph . && docker run --rm -v "$PWD:/src:ro" pyrograph scan
ARG PYTHON=3.13-slim

FROM python:${PYTHON} AS build
COPY . /pyrograph
# Plain Python; --build-arg COMPILE=1 compiles a part, with the compiler that this stage then installs.
ARG COMPILE=0
# Extras of pyproject.toml, with commas: --build-arg EXTRAS=postgresql for a fleet.
ARG EXTRAS=
# hadolint ignore=DL3008
RUN if [ "$COMPILE" = 1 ]; then apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev; fi \
    && python -m venv /opt/pyrograph \
    && PYROGRAPH_COMPILE="$COMPILE" /opt/pyrograph/bin/pip install --no-cache-dir --no-compile "/pyrograph${EXTRAS:+[$EXTRAS]}" \
    && /opt/pyrograph/bin/pip uninstall --yes pip

FROM python:${PYTHON}
# git reads the revisions that `pyrograph diff` compares. A mounted checkout belongs to another user than this one; pyrograph
# has git run nothing that a repository configures.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*' \
    && useradd --uid 10001 --create-home --shell /usr/sbin/nologin pyrograph
COPY --from=build /opt/pyrograph /opt/pyrograph
ENV PATH=/opt/pyrograph/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /src
ENTRYPOINT ["pyrograph"]
CMD ["--help"]
