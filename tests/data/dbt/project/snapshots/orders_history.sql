{% snapshot orders_history %}
{{ config(unique_key='id', strategy='check', check_cols=['amount'], target_schema='history') }}
select id, customer, amount from {{ source('raw', 'orders') }}
{% endsnapshot %}
