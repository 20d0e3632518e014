import { RouteConfig } from '@nestjs/platform-fastify';

/** Access rules in a route's configuration. A route without any is refused to everyone. */
export interface RouteAccess {
  readonly public?: boolean;
  /** Accepts any body and reads none. */
  readonly ignoresBody?: boolean;
  /** Refuses any body but `{}`, since the route would not read it. */
  readonly takesNoBody?: boolean;
  readonly scope?: string;
  /** Any valid key may call it. */
  readonly anyScope?: boolean;
  /** Any session or key may call it, whatever the state of the account: the route concerns only the session. */
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

/** Makes a route callable by anyone with the link. Bodies that mail programs and forms send are ignored. */
export const PublicLink = (): MethodDecorator => RouteConfig({ public: true, ignoresBody: true } satisfies RouteAccess);
