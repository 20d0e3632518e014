/**
 * Exports the service's own copies of Nest and its packages to extensions: `import … from 'namewatch/nest'`. A second
 * copy would have other injection tokens, decorators and classes.
 */
export * from '@nestjs/common';
export * from '@nestjs/core';
export * from '@nestjs/swagger';
export * from 'class-transformer';
export * from 'class-validator';
// `@nestjs/common` and the packages above export the same two names. These lines decide which are meant.
export { Type } from 'class-transformer';
export { ValidationError } from 'class-validator';
export type { FastifyReply, FastifyRequest } from 'fastify';
