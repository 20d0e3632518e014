import { RouteConfig } from '@nestjs/platform-fastify';

/** What authentication reads of a route. A route without it is refused to everybody. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Whether any body is taken, and none read. */
  readonly ignoresBody?: boolean;
  readonly scope?: string;
  /** Whether any key will do. */
  readonly anyScope?: boolean;
  /** What body it takes where that is no JSON: handed over as bytes. */
  readonly upload?: UploadOptions;
}

export interface UploadOptions {
  readonly mediaTypes: readonly string[];
  /** Bytes. */
  readonly maxBytes: number;
}

/** Answers without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);

/** Answers to whoever has the link; what mail programs and forms send along with it is not read. */
export const PublicLink = (): MethodDecorator => RouteConfig({ public: true, ignoresBody: true } satisfies RouteAccess);
