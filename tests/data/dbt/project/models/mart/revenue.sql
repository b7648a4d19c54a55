with payments as (select * from {{ ref('paid') }})
select p.customer, g.region, sum(p.amount_eur) as revenue
from payments as p
join {{ ref('regions') }} as g on g.customer = p.customer
group by p.customer, g.region
