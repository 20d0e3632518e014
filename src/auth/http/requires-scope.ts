import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { RejectUnknownQuery } from '../../platform/http/validation/reject-unknown-query.js';
import type { Scope } from '../domain/scope.js';

/** The scope that a key needs for this route; read before the body is. Parameters of which it knows nothing are refused. */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    RouteConfig({ scope } satisfies RouteAccess),
    ApiBearerAuth('key'),
    ApiExtension('x-required-scope', scope),
    RejectUnknownQuery(),
  );
}
