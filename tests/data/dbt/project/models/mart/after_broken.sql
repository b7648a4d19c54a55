select region_number from {{ ref('broken') }}
