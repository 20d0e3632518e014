/**
 * The recursive table `operators`: every operator with scheduled names, by a loose index scan that takes one step per
 * operator, however many names. Its last row is null. It goes backwards: the entries of an operator begin with those that
 * checks left behind, and end with names that are due last.
 */
export const WATCHED_OPERATORS = `recursive operators as (
  (select operator from watched_names where next_check_at is not null order by operator desc limit 1)
  union all
  select (select n.operator from watched_names n
          where n.operator < o.operator and n.next_check_at is not null order by n.operator desc limit 1)
  from operators o where o.operator is not null)`;
