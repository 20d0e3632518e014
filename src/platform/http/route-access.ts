import { RouteConfig } from '@nestjs/platform-fastify';

/** Access rules in a route's configuration. A route without any is refused to everyone. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Accepts any body and reads none. */
  readonly ignoresBody?: boolean;
  /** Any body but `{}` is refused, since the route would read none. */
  readonly takesNoBody?: boolean;
  readonly scope?: string;
  /** Any valid key may call it. */
  readonly anyScope?: boolean;
  /** Any session or key may call it, whatever became of the account: it is about the session alone. */
  readonly aboutSession?: boolean;
  /** Accepts an upload instead of JSON, passed on as bytes. */
  readonly upload?: UploadOptions;
}

export interface UploadOptions {
  readonly mediaTypes: readonly string[];
  readonly maxBytes: number;
}

/** Callable without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);

/** Callable by anyone with the link; bodies sent by mail programs and forms are ignored. */
export const PublicLink = (): MethodDecorator => RouteConfig({ public: true, ignoresBody: true } satisfies RouteAccess);
