-- One line of text for each fact of the catalogs, from one statement for each kind of fact.

SELECT format('SCHEMA %s OWNER %s', nspname,
       CASE WHEN pg_get_userbyid(nspowner) = current_user THEN 'OWNER' ELSE pg_get_userbyid(nspowner) END)
FROM pg_namespace
WHERE nspname IN ('lineage', 'provenance');

SELECT format('LABEL %s %s', l.kind, l.name)
FROM ag_catalog.ag_label l
JOIN ag_catalog.ag_graph g ON g.graphid = l.graph
WHERE g.name = 'provenance';

SELECT format('ROLE %s login=%s super=%s createrole=%s settings=%s', rolname, rolcanlogin, rolsuper,
       rolcreaterole, coalesce(rolconfig::text, ''))
FROM pg_roles
WHERE rolname IN ('lineage_reader', 'lineage_writer', 'lineage_cypher');

SELECT format('SETTING %s', setting)
FROM pg_db_role_setting
CROSS JOIN LATERAL unnest(setconfig) AS s (setting)
JOIN pg_database d ON d.oid = setdatabase
WHERE setrole = 0
AND d.datname = current_database();

SELECT format('DEFAULT %s IN %s: %s', defaclobjtype, n.nspname, defaclacl)
FROM pg_default_acl
JOIN pg_namespace n ON n.oid = defaclnamespace
WHERE nspname IN ('lineage', 'provenance');

SELECT format('TYPE %s AS %s %s', t.oid::regtype, t.typtype, coalesce(( SELECT string_agg(enumlabel,
       ',' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid),
       format_type(nullif(t.typbasetype, 0), t.typtypmod), ''))
FROM pg_type t
JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE nspname IN ('lineage', 'provenance')
AND t.typelem = 0
AND coalesce(c.relkind, 'c') = 'c';

SELECT format('RELATION %s %s OWNER %s %s %s PARTITION BY %s OF %s', c.relkind, c.oid::regclass,
       CASE WHEN pg_get_userbyid(c.relowner) = current_user THEN 'OWNER' ELSE pg_get_userbyid(c.relowner)
       END, c.relpersistence, coalesce(c.reloptions::text, ''), coalesce(pg_get_partkeydef(c.oid), '-'),
       coalesce((SELECT string_agg(inhparent::regclass::text, ',
       ' ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = c.oid), '-'))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('lineage', 'provenance')
AND c.relkind NOT IN ('i', 'I');

SELECT format('COLUMN %s.%s %s %s %s%s DEFAULT %s STORAGE %s %s', c.oid::regclass, a.attname, a.attnum,
       format_type(a.atttypid, a.atttypmod), coalesce(nullif(a.attcollation, 0)::regcollation ::text,
       '-'), CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, coalesce(pg_get_expr(d.adbin,
       d.adrelid), '-'), a.attstorage, a.attidentity::text || a.attgenerated::text)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
AND a.attnum > 0
AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid
AND d.adnum = a.attnum
WHERE n.nspname IN ('lineage', 'provenance')
AND c.relkind NOT IN ('i', 'I', 'S');

SELECT format('INDEX %s', pg_get_indexdef(c.oid))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('lineage', 'provenance')
AND c.relkind IN ('i', 'I');

SELECT format('CONSTRAINT %s ON %s %s', conname, conrelid::regclass, pg_get_constraintdef(k.oid))
FROM pg_constraint k
JOIN pg_namespace n ON n.oid = k.connamespace
WHERE nspname IN ('lineage', 'provenance')
AND contype <> 'n';

SELECT format('SEQUENCE %s %s %s..%s BY %s CYCLE %s', seqrelid::regclass, format_type(seqtypid, NULL),
       seqmin, seqmax, seqincrement, seqcycle)
FROM pg_sequence
JOIN pg_class c ON c.oid = seqrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE nspname IN ('lineage', 'provenance');

SELECT format('VIEW %s AS %s', c.oid::regclass, pg_get_viewdef(c.oid))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('lineage', 'provenance')
AND c.relkind IN ('v', 'm');

SELECT format('RULE %s', pg_get_ruledef(r.oid))
FROM pg_rewrite r
JOIN pg_class c ON c.oid = r.ev_class
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE nspname IN ('lineage', 'provenance')
AND c.relkind NOT IN ('v', 'm');

SELECT format('TRIGGER %s', pg_get_triggerdef(t.oid))
FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE nspname IN ('lineage', 'provenance')
AND NOT t.tgisinternal;

SELECT format('AGGREGATE %s OWNER %s %s %s', p.oid::regprocedure,
       CASE WHEN pg_get_userbyid(p.proowner) = current_user THEN 'OWNER' ELSE pg_get_userbyid(p.proowner)
       END, a.aggtransfn, format_type(a.aggtranstype, NULL))
FROM pg_proc p
JOIN pg_aggregate a ON a.aggfnoid = p.oid
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE nspname IN ('lineage', 'provenance');

SELECT format('COMMENT ON %s: %s', pg_describe_object(classoid, objoid, objsubid), description)
FROM pg_description d
CROSS JOIN LATERAL pg_identify_object(classoid, objoid, objsubid) AS o
WHERE o.schema IN ('lineage', 'provenance') OR o.type = 'schema'
AND o.name IN ('lineage', 'provenance');

SELECT format('GRANT %s%s ON %s TO %s', a.privilege_type,
       CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, 'SCHEMA ' || nspname,
       coalesce(nullif(a.grantee, 0)::regrole::text, 'PUBLIC'))
FROM pg_namespace
CROSS JOIN LATERAL aclexplode(nspacl) AS a
WHERE nspname IN ('lineage', 'provenance')
AND a.grantee <> nspowner;

SELECT format('GRANT %s%s ON %s TO %s', a.privilege_type,
       CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, c.oid::regclass,
       coalesce(nullif(a.grantee, 0)::regrole::text, 'PUBLIC'))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) AS a
WHERE n.nspname IN ('lineage', 'provenance')
AND a.grantee <> c.relowner;

SELECT format('GRANT %s%s ON %s TO %s', a.privilege_type,
       CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END,
       c.oid::regclass || '.' || t.attname, coalesce(nullif(a.grantee, 0)::regrole::text, 'PUBLIC'))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute t ON t.attrelid = c.oid
CROSS JOIN LATERAL aclexplode(t.attacl) AS a
WHERE n.nspname IN ('lineage', 'provenance')
AND a.grantee <> c.relowner;

SELECT format('GRANT %s%s ON %s TO %s', a.privilege_type,
       CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, p.oid::regprocedure,
       coalesce(nullif(a.grantee, 0)::regrole::text, 'PUBLIC'))
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
WHERE n.nspname IN ('lineage', 'provenance')
AND a.grantee <> p.proowner;

SELECT format('MEMBER %s OF %s', m.member::regrole, m.roleid::regrole)
FROM pg_auth_members m
JOIN pg_roles r ON r.oid = m.roleid
JOIN pg_roles o ON o.oid = m.member
WHERE r.rolname LIKE 'lineage\_%'
AND o.rolname LIKE 'lineage\_%';
