import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toPublicPath } from './request.js';
import { DASHBOARD_POLICY } from './hooks/security-headers.js';
import type { RouteAccess } from './route-access.js';

/** The folder of the built dashboard. The relative path is right for this source file and for its compiled file. */
const DASHBOARD_FOLDER = fileURLToPath(new URL('../../../dist/ui', import.meta.url));

/** Checks whether the dashboard's files exist. They are missing only in a source checkout that was never built. */
export function isDashboardBuilt(folder = DASHBOARD_FOLDER): boolean {
  return existsSync(join(folder, 'index.html'));
}

/** Serves one page for all paths below `/ui` except assets, so that deep links open. */
export async function serveDashboard(fastify: FastifyInstance, folder = DASHBOARD_FOLDER): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static');
  const page = readPage(folder, fastify.basePath);
  const config = { public: true } satisfies RouteAccess;
  const sendPage = (_: FastifyRequest, reply: FastifyReply) =>
    reply.header('content-security-policy', DASHBOARD_POLICY).type('text/html; charset=utf-8').send(page);
  await fastify.register(fastifyStatic, { root: join(folder, 'assets'), serve: false });
  fastify.get('/', { config }, (_, reply) => reply.redirect(toPublicPath(reply, '/ui/')));
  fastify.get('/ui', { config }, sendPage);
  fastify.get('/ui/*', { config }, sendPage);
  // Clients may cache these files for a year, because each file name contains a digest of the content.
  fastify.get<{ Params: { file: string } }>('/ui/assets/:file', { config }, ({ params }, reply) =>
    reply.sendFile(params.file, { immutable: true, maxAge: '365d' }),
  );
}

/** Redirects a dashboard URL with invalid percent-encoding to the page "not found". @returns whether it redirected */
export function leadToMissingPage(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = request.method === 'GET' && request.raw.url?.startsWith('/ui/') === true;
  if (!isPage || !request.server.hasRoute({ method: 'GET', url: '/ui/*' })) return false;
  void reply.redirect(toPublicPath(reply, '/ui/not-found'));
  return true;
}

/** Makes the relative links in the built page absolute, because every path below `/ui` serves this page. */
function readPage(folder: string, basePath: string): string {
  return readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('"./assets/', `"${basePath}/ui/assets/`);
}
