/**
 * What extensions take from Nest and from what belongs to it, `import … from 'namewatch/nest'`. They get the copies that
 * the service runs on, whatever else is installed: a second one has tokens, decorators and classes of its own.
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
