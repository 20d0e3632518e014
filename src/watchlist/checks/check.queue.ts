import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsNotEmpty, IsString, IsUUID } from 'class-validator';

export const CHECK_QUEUE = 'checks';

/** A job carries the names and their lease token; everything else is read from PostgreSQL. */
export class CheckJob {
  @IsString() @IsNotEmpty() operator: string;
  @IsUUID() token: string;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  names: string[];
}
