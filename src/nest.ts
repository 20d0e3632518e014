/**
 * Nest and its packages for extensions, `import … from 'namewatch/nest'`. Extensions get the copies that the service
 * runs on, whatever else is installed: a second copy has tokens, decorators and classes of its own.
 */
export * from '@nestjs/common';
export * from '@nestjs/core';
export * from '@nestjs/swagger';
export * from 'class-transformer';
export * from 'class-validator';
// Nest has types of these two names as well.
export { Type } from 'class-transformer';
export { ValidationError } from 'class-validator';
export type { FastifyReply, FastifyRequest } from 'fastify';
