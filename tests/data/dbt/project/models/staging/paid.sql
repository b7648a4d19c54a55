{{ config(materialized='ephemeral') }}
select o.id, o.customer, o.amount * r.rate as amount_eur
from {{ ref('stg_orders') }} as o
join {{ source('raw', 'rates') }} as r on r.code = o.rate_code
