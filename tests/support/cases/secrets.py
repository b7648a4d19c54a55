"""Secrets in the forms that jobs may contain, and texts without a secret.

``{}`` is the position of the secret. Each secret has a number, which identifies its form.
"""

from __future__ import annotations

# Forms of URLs, connection strings, headers, log lines and configuration files.
TEXTS = (
    "jdbc:postgresql://me:{}@h/db",
    "jdbc:postgresql://h/db?user=me&password={}",
    "jdbc:postgresql://me:{}@h1:5432,h2/db",
    "jdbc:postgresql://h1:5432,me:{}@h2/db",
    "jdbc:mysql://h/db?useSSL=false&password={}",
    "jdbc:mysql:loadbalance://me:{}@h1,h2/db",
    "jdbc:sqlserver://h;user=me;password={};databaseName=d",
    "jdbc:sqlserver://h;user=me;pwd={}",
    "jdbc:oracle:thin:me/{}@//h:1521/svc",
    "jdbc:oracle:thin:me/{}@h:1521:sid",
    'jdbc:oracle:thin:me/"a@{}"@h:1521:sid',
    "jdbc:snowflake://a.net/?db=d&token={}",
    "jdbc:snowflake://a.net/?private_key_pwd={}",
    "jdbc:h2:mem:x;USER=me;PASSWORD={}",
    "jdbc:odd:me:{}@h",
    "https://me:{}@h:8443/x",
    "https://{}@github.com/x.git",
    "s3a://AKEY:{}@bucket/key",
    "s3a://AKEY:{}/with/slash@bucket/key",
    "ftp://me:p@{}@h/x",
    "mongodb+srv://me:{}@cluster0.net/db",
    "redis://:{}@h:6379/0",
    "amqp://me:{}@h1,me:{}@h2/x",
    "wasbs://c@a.blob.core.windows.net/x?sv=2024-01-01&sig={}%3D&se=2026",
    "https://a.blob.core.windows.net/c/x?sp=r&sig={}",
    "https://b.s3.amazonaws.com/k?X-Amz-Credential={}&X-Amz-Signature=0",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature={}",
    "https://b.s3.amazonaws.com/k?X-Amz-Security-Token={}",
    "https://b.s3.amazonaws.com/k?AWSAccessKeyId=1&Signature={}&Expires=1",
    "https://storage.googleapis.com/b/k?X-Goog-Signature={}",
    "https://h/x?access_key={}&b=1",
    "https://h/x?apikey={}",
    "https://h/x?client_secret={}#there",
    "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey={}",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x",
    "SharedAccessSignature={}",
    "SharedAccessSignature sr=x&sig={}&se=1",
    "Authorization: Bearer {}",
    "authorization=Basic {}",
    "'Authorization': 'Token {}'",
    '{{"Authorization": "Bearer {}"}}',
    "Proxy-Authorization: Custom {} and more",
    "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature={}",
    "sent Bearer {} to h",
    "curl -H 'Authorization: Bearer {}' https://h",
    "password={}",
    "password = {}",
    "password: {}",
    "passphrase={}",
    "db.auth.pass={}",
    "PWD={}",
    "secret='{}'",
    'token "{}"',
    'dbPass="{}"',
    "IDENTIFIED BY '{}'",
    "IDENTIFIED BY {}",
    "password => '{}'",
    '{{"client_secret": "{}"}}',
    '{{\\"password\\":\\"{}\\"}}',
    'option("sfPassword", "{}")',
    'sasl.jaas.config=org.apache.kafka.PlainLoginModule required username="u" password="{}";',
    "org.apache.kafka.ScramLoginModule required username='u' password='{}';",
    "--conf spark.hadoop.fs.s3a.secret.key={}",
    "/lake/t/token={}/part-0",
    "CREDENTIALS 'aws_access_key_id=a;aws_secret_access_key={}'",
    "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n{}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.{}",
    "ghp_{}abcdefghijklm",
    "xoxb-{}-abc",
)

# Names of settings and options whose value is a secret.
NAMES = (
    "password",
    "spark.x.passwd",
    "sfPassword",
    "db.pwd",
    "dbPass",
    "es.net.http.auth.pass",
    "es.net.ssl.keystore.pass",
    "ssl.key.passphrase",
    "spark.hadoop.fs.s3a.secret.key",
    "fs.s3a.access.key",
    "fs.s3a.session.token",
    "fs.azure.account.key.a.blob.core.windows.net",
    "fs.azure.sas.token.c",
    "fs.azure.account.oauth2.client.secret",
    "accesskey",
    "awsSecretAccessKey",
    "api_key",
    "apiKey",
    "google.credentials",
    "gcpCredentials",
    "kafka.sasl.jaas.config",
    "proxy.authorization",
    "header.Authorization",
    "httpHeaders",
    "http.request.headers",
    "encryption.key",
    "hmacKey",
    "pem_private_key",
    "ssl.pem",
    "sas",
    "url.sig",
    "x-signature",
    "key",
    "http.auth",
    "login.pin",
    "cloud.jwt",
)

# None of these is a secret, and some of them distinguish datasets.
KEPT = (
    "file:/lake/sales/day=2026-01-01/part-00000.parquet",
    "/lake/t/key=4/region=eu",
    "hdfs://nn:8020/user/me@corp/x",
    "abfss://container@account.dfs.core.windows.net/x",
    "wasbs://container@account.blob.core.windows.net/x",
    "s3a://bucket/tokens/passwords/secret/x",
    "jdbc:postgresql://h1:5432,h2:5432/db?ssl=true",
    "jdbc:sqlserver://h:1433;databaseName=d;encrypt=true",
    "jdbc:oracle:thin:@//h:1521/svc",
    "jdbc:sqlite:/data/my@file.db",
    "http://[::1]:8080/a@b",
    "SELECT a FROM t WHERE mail = 'x@y.org' AND n=1 -- file:/d/day=1",
    "kafka://h1:9092,h2:9092/orders",
    "Table or view `shop`.`tokens` not found; line 1 pos 14",
    "ON t.key = s.key AND t.auth = s.auth",
    'File "/jobs/secrets.py", line 3, in fail: raise ValueError("no")',
    "basic statistics of the bearer",
    "the password of the table is not known",
)

NAMES_KEPT = (
    "path",
    "dbtable",
    "header",
    "compression",
    "primaryKey",
    "hoodie.datasource.write.recordkey.field",
    "bypass",
    "signal",
    "maxFilesPerTrigger",
)


def secret(number: int) -> str:
    """Return a distinct secret for each number."""
    return f"Pl4nted{number:04d}Xq"


def planted(texts: tuple[str, ...], first: int) -> list[str]:
    """Return the texts, each with a distinct secret, numbered from ``first``."""
    return [
        text.replace("{{", "{").replace("}}", "}").replace("{}", secret(first + at))
        for at, text in enumerate(texts)
    ]
