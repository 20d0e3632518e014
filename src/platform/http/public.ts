import { RouteConfig } from '@nestjs/platform-fastify';

/** What authentication reads of a route. A route without it is refused to everybody. */
export interface RouteAccess {
  readonly public?: boolean;
  readonly scope?: string;
}

/** Answers without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);
