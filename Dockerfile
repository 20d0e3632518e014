FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# With the optional packages: the compiler's own build for this platform is one of them.
RUN npm ci
COPY .swcrc ./
COPY bin bin
COPY src src
COPY clients/typescript/src clients/typescript/src
COPY ui ui
RUN node bin/build.mjs && find dist -name '*.map' -delete

FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without them: the image has its Node, and its PostgreSQL is another container.
RUN npm ci --omit=dev --omit=optional
# Half of it is for developers. Node loads neither maps nor TypeScript from here, and a package reads no tests or documents beside its
# code: `npm run -s script -- image-check` runs what is left. Licences stay.
RUN find node_modules -regextype posix-extended -type d \
      -regex '(.*/)?node_modules/(@[^/]+/)?[^@/][^/]*/(tests?|__tests__|docs|examples|benchmarks)' -prune -exec rm -r {} + \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' -o -name '*.md' \) \
      ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' -delete

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node -m 0700 /data
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY bin bin
COPY examples/templates examples/templates
# What an extension imports, wherever in the image it is installed: this package, which has the Nest and MikroORM that run here. npm
# installs one into /extensions, where it leaves out peers: the registry's would be second copies.
RUN ln -s /app node_modules/namewatch && ln -s /app/node_modules /node_modules && mkdir /extensions \
  && ln -s /app/bin/namewatch.mjs /usr/local/bin/namewatch \
  && echo '{ "private": true }' > /extensions/package.json && echo 'legacy-peer-deps=true' > /extensions/.npmrc
WORKDIR /extensions
USER node
EXPOSE 3000
# Without --start-interval, which builders before Docker 25 refuse. A shell asks in 2 ms of processor time, Node in 64.
HEALTHCHECK --start-period=60s --interval=10s --timeout=5s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]"]
ENTRYPOINT ["node", "/app/bin/namewatch.mjs"]
CMD ["up"]
