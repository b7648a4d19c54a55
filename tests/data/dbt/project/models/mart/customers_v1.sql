select distinct customer from {{ ref('stg_orders') }}
