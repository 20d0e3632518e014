import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { RejectUnknownQuery } from '../../platform/http/validation/strict-validation.pipe.js';
import type { Scope } from '../domain/scope.js';

/** Any valid key may call this route, whatever its scopes. */
export function AllowAnyScope(): MethodDecorator {
  return applyDecorators(
    RouteConfig({ anyScope: true } satisfies RouteAccess),
    ApiBearerAuth('key'),
    RejectUnknownQuery(),
  );
}

/** Whoever holds a session may list and end it, whatever became of the account. */
export function AboutSession(): MethodDecorator {
  return applyDecorators(
    RouteConfig({ aboutSession: true } satisfies RouteAccess),
    ApiBearerAuth('key'),
    RejectUnknownQuery(),
  );
}

/** Requires this scope, checked before the body is read, and rejects unknown query parameters. */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    RouteConfig({ scope } satisfies RouteAccess),
    ApiBearerAuth('key'),
    ApiExtension('x-required-scope', scope),
    RejectUnknownQuery(),
  );
}
