select customer, count(*) as orders from {{ ref('stg_orders') }} group by customer
