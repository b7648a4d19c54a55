select id, customer, amount, rate_code
from {{ source('raw', 'orders') }}
where amount > 0 -- api_key = 'k-1234567'
