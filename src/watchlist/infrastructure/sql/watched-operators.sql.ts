/**
 * The recursive table `operators`: every operator with scheduled names, by a loose index scan that takes one step per
 * operator, however many names. Its last row is null.
 */
export const WATCHED_OPERATORS = `recursive operators as (
  (select operator from watched_names where next_check_at is not null order by operator limit 1)
  union all
  select (select n.operator from watched_names n
          where n.operator > o.operator and n.next_check_at is not null order by n.operator limit 1)
  from operators o where o.operator is not null)`;
