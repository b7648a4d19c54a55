{{ config(materialized='incremental', unique_key='id', incremental_strategy='delete+insert') }}
select id, customer, amount_eur from {{ ref('paid') }}
{% if is_incremental() %}
where id > (select coalesce(max(id), 0) - 1 from {{ this }})
{% endif %}
