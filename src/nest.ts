/**
 * Nest and its packages for extensions, `import … from 'namewatch/nest'`. Extensions get the copies that the service
 * uses, since a second copy would have other tokens, decorators and classes.
 */
export * from '@nestjs/common';
export * from '@nestjs/core';
export * from '@nestjs/swagger';
export * from 'class-transformer';
export * from 'class-validator';
// Nest also exports types with these names.
export { Type } from 'class-transformer';
export { ValidationError } from 'class-validator';
export type { FastifyReply, FastifyRequest } from 'fastify';
