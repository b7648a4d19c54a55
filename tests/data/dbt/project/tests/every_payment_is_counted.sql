{{ config(severity='error') }}
select 1 as missing from (select count(*) as n from {{ ref('paid') }}) as p, (select count(*) as n from {{ ref('daily') }}) as d where p.n > d.n + 100
