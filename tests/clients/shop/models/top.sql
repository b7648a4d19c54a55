select customer from {{ ref('daily') }} where revenue > 10
