-- name: has_setting(name) -> bool
-- Whether the database has a setting, or the configuration of the server has the same effect.
SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
               WHERE d.datname = current_database() AND s.setrole = 0
                 AND EXISTS (SELECT FROM unnest(s.setconfig) AS own
                             WHERE starts_with(own, %(name)s || '=')))
    OR %(name)s = 'session_preload_libraries'
       AND EXISTS (SELECT FROM pg_settings
                   WHERE name = 'shared_preload_libraries' AND setting ~ '\yage\y')
