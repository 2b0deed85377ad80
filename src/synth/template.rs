//! The few texts that a quarter of the web serves, and those that a content management system writes for a site.
//!
//! Written for this project from what distinguishes each: the paths and marks that the products are known by.

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LineEnd {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    CrLf,
    /// CR alone.
    Cr,
    /// CR LF and LF by turns, irregularly.
    Mixed,
}

/// One text that many sites serve byte for byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// Parts in 10,000 of all 2xx answers.
    pub(super) weight: u64,
    /// How its lines end; the text below has LF.
    pub(super) line_end: LineEnd,
    /// The text.
    pub(super) text: &'static str,
}

const fn lf(weight: u64, text: &'static str) -> Head {
    Head { weight, line_end: LineEnd::Lf, text }
}

const fn crlf(weight: u64, text: &'static str) -> Head {
    Head { weight, line_end: LineEnd::CrLf, text }
}

/// The head of the distribution, the commonest first; weights after the quantiles in which real captures repeat.
pub(super) const HEADS: &[Head] = &[
    crlf(560, TOWN_SITE),
    lf(390, ""),
    lf(170, DRUPAL),
    lf(140, WORDPRESS),
    lf(120, DRUPAL_LISTENED),
    lf(90, "User-agent: *\nDisallow:\n"),
    lf(66, "User-agent: *\nDisallow:"),
    lf(62, "User-agent: *\nDisallow: /\n"),
    lf(70, FORBIDDEN_PAGE),
    lf(60, "User-agent: *\nAllow: /\n"),
    lf(60, "User-agent: *\nDisallow: /"),
    lf(42, "User-Agent: *\nDisallow:\n"),
    lf(42, "User-agent: *\nAllow: /"),
    crlf(54, SOCIAL_ONLY),
    lf(50, DRUPAL_OLD),
    crlf(34, "User-agent: *\nDisallow:\n"),
    lf(44, NOT_FOUND_PAGE),
    lf(40, MARKETING_PAGES),
    lf(30, "User-agent: *"),
    crlf(30, "User-agent: *\nDisallow: /"),
    crlf(30, "User-agent: *\nAllow: /"),
    lf(28, "User-agent: *\nCrawl-delay: 5\n"),
    lf(26, "User-agent: *\n"),
    lf(26, "# See https://www.rfc-editor.org/rfc/rfc9309 for what may stand here\nUser-agent: *\nDisallow:\n"),
    lf(24, GONE_TEXT),
    crlf(22, JOOMLA),
    lf(20, "User-agent: *\nCrawl-delay: 10\n"),
    lf(20, "User-agent: *\nDisallow: \n"),
    lf(18, "User-agent: * \nDisallow: /\n"),
    lf(18, "user-agent: *\ndisallow:\n"),
    lf(18, HELP_CENTER),
    crlf(18, "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"),
    lf(16, "User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n"),
    lf(16, CLOSED_FOR_MODELS),
    lf(14, "# Nothing is closed here.\n"),
    crlf(14, STAFF_PORTAL),
    lf(14, "User-agent: *\nCrawl-delay: 20\n"),
    lf(12, "User-agent: *\nNoindex: /\n"),
    lf(12, "\n"),
    lf(12, "User-agent: *\nDisallow: /cgi-bin/\n"),
    lf(12, "User-agent: *\nDisallow: /*?\n"),
    lf(10, "not found"),
    lf(10, "User-Agent: *\nAllow: /\nDisallow:\n"),
];

const WORDPRESS: &str = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n";

const TOWN_SITE: &str = "user-agent: Baiduspider
Disallow: /
user-agent: Yandex
Disallow: /
user-agent: Siteimprove
Crawl-delay: 20
user-agent: SiteimproveBot
Crawl-delay: 20
user-agent: SiteimproveBot-Crawler
Crawl-delay: 20
user-agent: *
Disallow: /edit-mode
Disallow: /admin
Disallow: /common/admin/
Disallow: /support
Disallow: /calendar/month.aspx
Disallow: /calendar/print.aspx
Disallow: /search.aspx
Disallow: /currenteventsview.aspx
Disallow: /map.aspx
Disallow: /notify.aspx
Disallow: /list.aspx?mode=subscribe
Disallow: /document/archive
Disallow: /forms/preview
Disallow: /bids.aspx?show=closed
Disallow: /jobs.aspx?show=closed
Disallow: /photo-gallery?slide
";

const DRUPAL: &str = "# Search engines and other robots that ask before they fetch: these are the parts of a
# Drupal site that hold no content. The file only counts at the root of the host.
User-agent: *
# CSS, JS, Images
Allow: /core/*.css$
Allow: /core/*.css?
Allow: /core/*.js$
Allow: /core/*.js?
Allow: /core/*.gif
Allow: /core/*.jpg
Allow: /core/*.jpeg
Allow: /core/*.png
Allow: /core/*.svg
Allow: /profiles/*.css$
Allow: /profiles/*.css?
Allow: /profiles/*.js$
Allow: /profiles/*.js?
Allow: /profiles/*.gif
Allow: /profiles/*.jpg
Allow: /profiles/*.jpeg
Allow: /profiles/*.png
Allow: /profiles/*.svg
# Directories
Disallow: /core/
Disallow: /profiles/
# Files
Disallow: /README.md
Disallow: /composer/Metapackage/README.txt
Disallow: /composer/Plugin/ProjectMessage/README.md
Disallow: /composer/Plugin/Scaffold/README.md
Disallow: /composer/Plugin/VendorHardening/README.txt
Disallow: /composer/Template/README.txt
Disallow: /modules/README.txt
Disallow: /sites/README.txt
Disallow: /themes/README.txt
Disallow: /web.config
# Paths (clean URLs)
Disallow: /admin/
Disallow: /comment/reply/
Disallow: /filter/tips
Disallow: /node/add/
Disallow: /search/
Disallow: /user/register
Disallow: /user/password
Disallow: /user/login
Disallow: /user/logout
Disallow: /media/oembed
Disallow: /*/media/oembed
# Paths (no clean URLs)
Disallow: /index.php/admin/
Disallow: /index.php/comment/reply/
Disallow: /index.php/filter/tips
Disallow: /index.php/node/add/
Disallow: /index.php/search/
Disallow: /index.php/user/password
Disallow: /index.php/user/register
Disallow: /index.php/user/login
Disallow: /index.php/user/logout
Disallow: /index.php/media/oembed
Disallow: /index.php/*/media/oembed
";

const DRUPAL_LISTENED: &str = "# Drupal, with the checkers of accessibility slowed down.
User-agent: SiteimproveBot
Crawl-delay: 20
User-agent: SiteimproveBot-Crawler
Crawl-delay: 20
User-agent: *
# Directories
Disallow: /core/
Disallow: /profiles/
# Files
Disallow: /README.txt
Disallow: /web.config
# Paths (clean URLs)
Disallow: /admin/
Disallow: /comment/reply/
Disallow: /filter/tips
Disallow: /node/add/
Disallow: /search/
Disallow: /user/register/
Disallow: /user/password/
Disallow: /user/login/
Disallow: /user/logout/
# Paths (no clean URLs)
Disallow: /index.php/admin/
Disallow: /index.php/comment/reply/
Disallow: /index.php/filter/tips
Disallow: /index.php/node/add/
Disallow: /index.php/search/
Disallow: /index.php/user/password/
Disallow: /index.php/user/register/
Disallow: /index.php/user/login/
Disallow: /index.php/user/logout/
";

const DRUPAL_OLD: &str = "# Drupal 7
User-agent: *
Crawl-delay: 10
# Directories
Disallow: /includes/
Disallow: /misc/
Disallow: /modules/
Disallow: /profiles/
Disallow: /scripts/
Disallow: /themes/
# Files
Disallow: /CHANGELOG.txt
Disallow: /cron.php
Disallow: /INSTALL.mysql.txt
Disallow: /INSTALL.pgsql.txt
Disallow: /INSTALL.sqlite.txt
Disallow: /install.php
Disallow: /INSTALL.txt
Disallow: /LICENSE.txt
Disallow: /MAINTAINERS.txt
Disallow: /update.php
Disallow: /UPGRADE.txt
Disallow: /xmlrpc.php
# Paths (clean URLs)
Disallow: /admin/
Disallow: /comment/reply/
Disallow: /filter/tips/
Disallow: /node/add/
Disallow: /search/
Disallow: /user/register/
Disallow: /user/password/
Disallow: /user/login/
Disallow: /user/logout/
# Paths (no clean URLs)
Disallow: /?q=admin/
Disallow: /?q=comment/reply/
Disallow: /?q=filter/tips/
Disallow: /?q=node/add/
Disallow: /?q=search/
Disallow: /?q=user/password/
Disallow: /?q=user/register/
Disallow: /?q=user/login/
Disallow: /?q=user/logout/
";

const JOOMLA: &str =
    "# Joomla: when it lives in a folder, put the folder before every path and move this file to the root.
User-agent: *
Disallow: /administrator/
Disallow: /api/
Disallow: /bin/
Disallow: /cache/
Disallow: /cli/
Disallow: /components/
Disallow: /includes/
Disallow: /installation/
Disallow: /language/
Disallow: /layouts/
Disallow: /libraries/
Disallow: /logs/
Disallow: /modules/
Disallow: /plugins/
Disallow: /tmp/
";

const SOCIAL_ONLY: &str = "User-agent: Googlebot
Allow: /

User-agent: Bingbot
Allow: /

User-agent: LinkedInBot/1.0
Allow: /

User-agent: Twitterbot
Allow: /

User-agent: *
Disallow: /
";

const MARKETING_PAGES: &str = "User-agent: *
Disallow: /_hcms/preview/
Disallow: /hs/manage-preferences/
Disallow: /hs/preferences-center/
";

const HELP_CENTER: &str = "User-agent: *
Disallow: /not-authorized
Disallow: /not-found
Disallow: /[centerName]/
Crawl-delay: 1
";

const STAFF_PORTAL: &str = "#Portal
User-agent: *
Disallow: /Search/
Disallow: /WebApi/
Disallow: /WebServices/
Disallow: /portal/svc/
Disallow: /common/controls/
";

const CLOSED_FOR_MODELS: &str = "User-agent: GPTBot
Disallow: /

User-agent: ChatGPT-User
Disallow: /

User-agent: Google-Extended
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: ClaudeBot
Disallow: /

User-agent: *
Allow: /
";

const FORBIDDEN_PAGE: &str =
    "<html>\n<head><title>403 Forbidden</title></head>\n<body><h1>403 Forbidden</h1><hr>web server</body>\n</html>\n";

const NOT_FOUND_PAGE: &str =
    "<html>\n<head><title>404 Not Found</title></head>\n<body><h1>404 Not Found</h1><hr>web server</body>\n</html>\n";

const GONE_TEXT: &str = "This resource was moved, renamed or taken away.";

/// A text that a product writes for a site; `{host}` is the site's name, `{id}` a number of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    /// Parts in 10,000 of the texts that only one site has.
    pub(super) weight: u64,
    /// The text.
    pub(super) text: &'static str,
}

const fn product(weight: u64, text: &'static str) -> Product {
    Product { weight, text }
}

/// What content management systems and shop systems write, each with the site's own sitemap in it.
pub(super) const PRODUCTS: &[Product] = &[
    product(
        720,
        "# START YOAST BLOCK
# ---------------------------
User-agent: *
Disallow:

Sitemap: https://{host}/sitemap_index.xml
# ---------------------------
# END YOAST BLOCK
",
    ),
    product(
        420,
        "User-agent: *
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php

Sitemap: https://{host}/wp-sitemap.xml
",
    ),
    product(
        90,
        "# we use Shopify as our ecommerce platform

User-agent: *
Disallow: /a/downloads/-/*
Disallow: /admin
Disallow: /cart
Disallow: /orders
Disallow: /checkouts/
Disallow: /checkout
Disallow: /{id}/checkouts
Disallow: /{id}/orders
Disallow: /carts
Disallow: /account
Disallow: /collections/*sort_by*
Disallow: /*/collections/*sort_by*
Disallow: /collections/*+*
Disallow: /collections/*%2B*
Disallow: /collections/*%2b*
Disallow: /blogs/*+*
Disallow: /blogs/*%2B*
Disallow: /blogs/*%2b*
Disallow: /*?*oseid=*
Disallow: /*preview_theme_id*
Disallow: /*preview_script_id*
Disallow: /policies/
Disallow: /search
Disallow: /.well-known/shopify/monorail
Disallow: /cdn/wpm/*.js
Disallow: /recommendations/products
Sitemap: https://{host}/sitemap.xml

# The ads crawler obeys only a group of its own
User-agent: adsbot-google
Disallow: /checkouts/
Disallow: /checkout
Disallow: /carts
Disallow: /orders
Disallow: /{id}/checkouts
Disallow: /{id}/orders
Disallow: /*?*oseid=*
Disallow: /*preview_theme_id*
Disallow: /cdn/wpm/*.js

User-agent: Nutch
Disallow: /

User-agent: AhrefsBot
Crawl-delay: 10
Disallow: /a/downloads/-/*
Disallow: /admin
Disallow: /cart
Sitemap: https://{host}/sitemap.xml

User-agent: MJ12bot
Crawl-Delay: 10

User-agent: Pinterest
Crawl-delay: 1
",
    ),
    product(
        140,
        "User-agent: *
Allow: /

# Optimization for Google Ads Bot
User-agent: AdsBot-Google-Mobile
User-agent: AdsBot-Google
Disallow: /_api/*
Disallow: /_partials*
Disallow: /pro-gallery-webapp/v1/galleries/*

User-agent: PetalBot
Disallow: /

User-agent: dotbot
Crawl-delay: 10
User-agent: AhrefsBot
Crawl-delay: 10

Sitemap: https://{host}/sitemap.xml
",
    ),
    product(
        100,
        "# Squarespace Robots Txt

User-agent: GPTBot
User-agent: ChatGPT-User
User-agent: CCBot
User-agent: anthropic-ai
User-agent: Google-Extended
User-agent: FacebookBot
User-agent: Claude-Web
User-agent: cohere-ai
User-agent: PerplexityBot
User-agent: Applebot-Extended
User-agent: AdsBot-Google
User-agent: AdsBot-Google-Mobile
User-agent: AdsBot-Google-Mobile-Apps
User-agent: *
Disallow: /config
Disallow: /search
Disallow: /account$
Disallow: /account/
Disallow: /commerce/digital-download/
Disallow: /api/
Allow: /api/ui-extensions/
Disallow: /static/
Disallow:/*?author=*
Disallow:/*&author=*
Disallow:/*?tag=*
Disallow:/*&tag=*
Disallow:/*?month=*
Disallow:/*&month=*
Disallow:/*?view=*
Disallow:/*&view=*
Disallow:/*?format=json
Disallow:/*&format=json
Disallow:/*?format=ical
Disallow:/*&format=ical
Disallow:/*?reversePaginate=*
Disallow:/*&reversePaginate=*

Sitemap: https://{host}/sitemap.xml
",
    ),
    product(
        70,
        "User-agent: Mediapartners-Google
Disallow:

User-agent: *
Disallow: /search
Disallow: /share-widget
Allow: /

Sitemap: https://{host}/sitemap.xml
",
    ),
    product(
        40,
        "User-agent: *
Disallow: /index.php/
Disallow: /*?
Disallow: /checkout/
Disallow: /app/
Disallow: /lib/
Disallow: /*.php$
Disallow: /pkginfo/
Disallow: /report/
Disallow: /var/
Disallow: /catalog/product_compare/
Disallow: /catalogsearch/
Disallow: /customer/
Disallow: /sendfriend/
Disallow: /review/
Disallow: /wishlist/
Disallow: /*SID=
Sitemap: https://{host}/media/sitemap.xml
",
    ),
    product(
        40,
        "User-agent: *
Disallow: /administrator/
Disallow: /bin/
Disallow: /cache/
Disallow: /cli/
Disallow: /components/
Disallow: /includes/
Disallow: /installation/
Disallow: /language/
Disallow: /layouts/
Disallow: /libraries/
Disallow: /logs/
Disallow: /modules/
Disallow: /plugins/
Disallow: /tmp/
Sitemap: https://{host}/sitemap.xml
",
    ),
    product(
        25,
        "User-agent: *
Sitemap: https://{host}/sitemap.xml
Disallow: /ghost/
Disallow: /email/
Disallow: /members/api/comments/counts/
Disallow: /r/
Disallow: /webmentions/receive/
",
    ),
    product(
        60,
        "User-agent: *
Disallow: /wp-content/uploads/wc-logs/
Disallow: /wp-content/uploads/woocommerce_transient_files/
Disallow: /wp-content/uploads/woocommerce_uploads/
Disallow: /*?add-to-cart=
Disallow: /*?*add-to-cart=
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php

Sitemap: https://{host}/wp-sitemap.xml
",
    ),
];

/// What a content delivery network puts before a site's own text, between its marks.
pub(super) const MANAGED: &str = "# BEGIN Cloudflare Managed content

User-agent: *
Content-Signal: search=yes,ai-train=no
Allow: /

User-agent: Amazonbot
Disallow: /

User-agent: Applebot-Extended
Disallow: /

User-agent: Bytespider
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: ClaudeBot
Disallow: /

User-agent: Google-Extended
Disallow: /

User-agent: GPTBot
Disallow: /

User-agent: meta-externalagent
Disallow: /

# END Cloudflare Managed Content

";
