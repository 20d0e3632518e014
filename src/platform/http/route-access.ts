import { RouteConfig } from '@nestjs/platform-fastify';

/** What authentication reads of a route. A route without it is refused to everybody. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Whether any body is taken, and none read. */
  readonly anyBody?: boolean;
  readonly scope?: string;
  /** Whether any key will do. */
  readonly anyKey?: boolean;
  /** What body it takes where that is no JSON: handed over as bytes. */
  readonly file?: FileBody;
}

export interface FileBody {
  readonly mediaTypes: readonly string[];
  /** Bytes. */
  readonly limit: number;
}

/** Answers without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);

/** Answers to whoever has the link; what mail programs and forms send along with it is not read. */
export const ByLink = (): MethodDecorator => RouteConfig({ public: true, anyBody: true } satisfies RouteAccess);
