select customer, sum(amount) as revenue
from {{ source('staging', 'orders') }}
group by customer
