/**
 * Extensions import Nest from `namewatch/nest`, because a second copy would have other injection tokens, decorators and
 * classes.
 */
export * from '@nestjs/common';
export * from '@nestjs/core';
export * from '@nestjs/swagger';
export * from 'class-transformer';
export * from 'class-validator';
// `@nestjs/common` exports these two names too. These lines choose the exports of the other packages.
export { Type } from 'class-transformer';
export { ValidationError } from 'class-validator';
export type { FastifyReply, FastifyRequest } from 'fastify';
