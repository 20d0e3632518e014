import { IsNotEmpty, IsString, IsUUID } from 'class-validator';

export const CHECKS = 'checks';

/** A job carries the name and the lease under which it may be looked at; all else is read from PostgreSQL. */
export class CheckJob {
  @IsString() @IsNotEmpty() name: string;
  @IsUUID() token: string;
}
