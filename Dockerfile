# SPDX-License-Identifier: MIT
# An image that runs clipmill as a user without rights, on files of the folder /work:
#   docker build -t clipmill . && docker run --rm -v "$PWD:/work" clipmill info clip.glb
FROM debian:12-slim AS build
WORKDIR /source
COPY . .
RUN scripts/package.sh

FROM debian:12-slim
RUN --mount=from=build,source=/source/build/package,target=/packages \
    apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/clipmill_*.deb && \
    rm -rf /var/lib/apt/lists/* && useradd --no-create-home clipmill
USER clipmill
WORKDIR /work
ENTRYPOINT ["clipmill"]
