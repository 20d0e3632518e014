import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { RejectUnknownQuery, takesBody } from '../../platform/http/validation/strict-validation.pipe.js';
import type { Scope } from '../domain/scope.js';

/** Lets every authenticated caller use this route, with any scopes. */
export function AllowAnyScope(): MethodDecorator {
  return applyDecorators(access({ anyScope: true }), ApiBearerAuth('key'), RejectUnknownQuery());
}

/** Lets any session or valid key call this route, even a session whose account is suspended or deleted. */
export function AboutSession(): MethodDecorator {
  return applyDecorators(access({ aboutSession: true }), ApiBearerAuth('key'), RejectUnknownQuery());
}

/** Requires this scope before the body is read. Rejects query parameters and bodies that the route does not read. */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    access({ scope }),
    ApiBearerAuth('key'),
    ApiExtension('x-required-scope', scope),
    RejectUnknownQuery(),
  );
}

function access(granted: Pick<RouteAccess, 'scope' | 'anyScope' | 'aboutSession'>): MethodDecorator {
  return (target, property, descriptor) => {
    const takesNoBody = !takesBody(target.constructor, property);
    RouteConfig({ ...granted, takesNoBody } satisfies RouteAccess)(target, property, descriptor);
  };
}
