import { RouteConfig } from '@nestjs/platform-fastify';

/** Access rules of a route. A route without any rule is refused to everyone. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Accepts a request with any body, and does not read the body. */
  readonly ignoresBody?: boolean;
  /** Refuses any body except `{}`, because the route takes no input from a body. */
  readonly takesNoBody?: boolean;
  readonly scope?: string;
  readonly anyScope?: boolean;
  /** Any session or valid key may call the route, even a session whose account is suspended. */
  readonly aboutSession?: boolean;
  /** Accepts an upload instead of JSON. The handler gets the upload as bytes. */
  readonly upload?: UploadOptions;
}

export interface UploadOptions {
  readonly mediaTypes: readonly string[];
  readonly maxBytes: number;
}

/** Makes a route callable without a key. */
export const Public = (): MethodDecorator => RouteConfig({ public: true } satisfies RouteAccess);

/** Makes a route callable by anyone with the link. Ignores the bodies that mail programs and forms send. */
export const PublicLink = (): MethodDecorator => RouteConfig({ public: true, ignoresBody: true } satisfies RouteAccess);
