import { RouteConfig } from '@nestjs/platform-fastify';

/** Access rules of a route. A route without any rule is refused to everyone. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Accepts any body and reads none. */
  readonly ignoresBody?: boolean;
  /** Refuses any body except `{}`, since the route would not read the body. */
  readonly takesNoBody?: boolean;
  readonly scope?: string;
  readonly anyScope?: boolean;
  /** Any session or valid key may call the route, even a session whose account is suspended. */
  readonly aboutSession?: boolean;
  /** Accepts an upload instead of JSON, passed on as bytes. */
  readonly upload?: UploadOptions;
}

export interface UploadOptions {
  readonly mediaTypes: readonly string[];
  readonly maxBytes: number;
}

/** Makes a route callable without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);

/** Makes a route callable by anyone with the link. Ignores bodies, which mail programs and forms send. */
export const PublicLink = (): MethodDecorator => RouteConfig({ public: true, ignoresBody: true } satisfies RouteAccess);
