select customer from {{ ref('revenue') }} where revenue <= 0
