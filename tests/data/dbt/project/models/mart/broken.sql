select cast(cast(region as varchar) as int) as region_number from {{ ref('revenue') }}
