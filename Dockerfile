# The LIS as an image: the server by default, a worker with another command (see compose.yaml).
# It brings its packages and the built web application along; nothing is installed or built when it starts.

FROM node:24-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY apps/server/package.json apps/server/
COPY apps/web/package.json apps/web/
COPY e2e/package.json e2e/

# The web application, built with all tools.
FROM manifests AS web
RUN npm ci
COPY tsconfig.base.json ./
COPY packages packages
COPY apps/web apps/web
COPY scripts scripts
# Without LIS_INSTALLED the runner would install the packages a second time.
RUN LIS_INSTALLED=1 npm run build

# What the server needs at run time, and nothing else.
FROM manifests AS modules
RUN npm ci --omit=dev

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production \
    LIS_INSTALLED=1 \
    HOST=0.0.0.0 \
    PORT=3000 \
    LIS_DATA_DIR=/data
COPY --from=modules /app ./
COPY LICENSE ./
COPY scripts/run.mjs scripts/build-web.ts scripts/
COPY packages packages
COPY apps/server apps/server
# Only the build: where the sources of the web application are missing, the server does not try to build it.
COPY --from=web /app/apps/web/dist apps/web/dist
# Used only without DATABASE_URL or without S3_BUCKET: embedded PostgreSQL, files, secret.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
# What `npm start` runs, without npm in between: the signal to stop reaches the server, which then finishes what it has begun.
CMD ["node", "scripts/run.mjs", "apps/server/src/main.ts"]
