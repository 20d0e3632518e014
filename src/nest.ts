/**
 * Extensions import Nest from `namewatch/nest`, because a second copy would have other injection tokens, decorators and
 * classes.
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
