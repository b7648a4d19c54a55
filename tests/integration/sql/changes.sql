CREATE TABLE o(id int PRIMARY KEY, cust int, amt numeric, tags text[], doc jsonb, ts timestamptz, note text);
CREATE TABLE c(id int PRIMARY KEY, name text, parent int, region text);
CREATE TABLE t(cust int PRIMARY KEY, total numeric, name text, at timestamptz DEFAULT now());
CREATE TABLE h(cust int, total numeric, name text);
CREATE VIEW v AS SELECT cust, sum(amt) s FROM o GROUP BY cust;

-- A statement on each line, read by test_change_columns.py; after it, why its columns are not known.
insert into t (cust, total) select cust, sum(amt) from o group by cust;
insert into t select cust, sum(amt), max(c.name) from o join c on c.id=o.cust group by cust;
insert into t (cust, total) select cust, s from v on conflict (cust) do update set total = excluded.total;
insert into t (cust, total) select cust, s from v on conflict (cust) do update set total = t.total + excluded.total, name = excluded.name where t.total < excluded.total;
insert into t (cust, total) select cust, s from v on conflict (cust) do nothing;
update t set total = o.amt from o where o.cust = t.cust;
update t set total = (select sum(amt) from o where o.cust = t.cust), name = c.name from c where c.id = t.cust;
update t set (total, name) = (select sum(o.amt), max(o.note) from o where o.cust = t.cust);
update t as x set total = x.total * 2, name = upper(name) where exists (select 1 from o where o.cust = x.cust and o.amt > x.total);
update t set total = l.m from c left join lateral (select max(amt) m from o where o.cust = c.id) l on true where c.id = t.cust;
delete from t using o where o.cust = t.cust and o.amt is null;
delete from t where cust in (select id from c where region = 'x');
merge into t using (select cust, sum(amt) s from o group by cust) q on q.cust = t.cust when matched and q.s > 3 then update set total = q.s when not matched then insert (cust, total) values (q.cust, q.s);
merge into t using o on o.cust = t.cust when matched then delete when not matched then insert values (o.cust, o.amt, o.note, o.ts);
merge into t using v on v.cust = t.cust when matched then update set total = v.s, name = t.name || 'x' when not matched by source then delete;
with d as (delete from o where amt is null returning cust, amt, note) insert into h select cust, amt, note from d;
with i as (insert into h (cust, total) select cust, amt from o returning *) insert into t (cust, total) select cust, total from i; -- the columns of a statement with several outputs are not read
with u as (update t set total = o.amt from o where o.cust=t.cust returning t.cust, o.note) insert into h (cust, name) select cust, note from u; -- the columns of a statement with several outputs are not read
with q as (select cust, amt from o), r as (select q.cust, c.name, q.amt from q join c on c.id=q.cust) insert into h select cust, amt, name from r where amt > (select avg(amt) from q);
with recursive r as (select id, parent, name from c where parent is null union all select c.id, c.parent, r.name from c join r on c.parent=r.id) insert into h (cust, name) select id, name from r;
insert into h (cust, total, name) select o.cust, x.v::numeric, x.k from o, jsonb_each_text(o.doc) as x(k, v);
insert into h (cust, name) select o.cust, tag from o, unnest(o.tags) tag;
insert into h select distinct on (cust) cust, amt, note from o order by cust, ts desc;
insert into h (cust, total) select cust, amt from o union all select id, null from c;
insert into h (cust, total) select cust, amt from o except select cust, total from t;
insert into h (name, cust) select case when c.region = 'a' then c.name else o.note end, o.cust from o left join c on c.id=o.cust order by o.ts limit 3;
insert into h (cust, total) select cust, sum(amt) over (partition by cust order by ts) from o;
insert into h (cust, total) values (1, (select max(amt) from o)), (2, 3); -- columns: the queries in VALUES are not read for their columns
insert into h (cust, total) select cust, amt from o where ts between (select min(at) from t) and now();
insert into h (cust) select a.cust from o a join o b on a.id = b.id + 1 where a.note is distinct from b.note;
insert into h select * from (select cust, amt, note from o) q;
insert into h (cust, total) select cust, count(*) from o group by cust having count(*) > 1 and max(note) is not null;
insert into h (cust, total) select coalesce(o.cust, c.id), o.amt from o full join c on o.cust = c.id;
insert into h (cust, name) select cust, note from o where (cust, note) in (select id, name from c);
insert into h (cust, name) select cust, string_agg(note, ',' order by ts) from o group by grouping sets ((cust), ());
insert into h (cust, total) select id, (select sum(amt) from o where o.cust=c.id) from c where not exists (select from t where t.cust=c.id);
with d as (delete from o using c where c.id = o.cust and amt is null returning o.cust, amt as a, c.name) insert into h select cust, a, name from d;
with d as (delete from o returning cust, amt, note), e as (select * from d) insert into h select * from e;
