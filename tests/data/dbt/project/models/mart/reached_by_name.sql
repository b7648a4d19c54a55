-- dbt does not know this table
select customer, max(rate) as best from raw.bonus group by customer
